package org.plumbline.app.fruits;

import io.micronaut.core.annotation.Introspected;

/** A row of stores. */
@Introspected
public record StoreRow(Long id, String name, String currency, String address, String city, String country) {}
