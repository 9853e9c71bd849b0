package org.plumbline.domain;

/** A store as it stands on the wire. */
public record StoreView(long id, String name, String currency, String address, String city, String country) {}
