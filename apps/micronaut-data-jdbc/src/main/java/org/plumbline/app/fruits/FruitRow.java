package org.plumbline.app.fruits;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;

/** A row of fruits. */
@MappedEntity("fruits")
public record FruitRow(
        @Nullable @Id @GeneratedValue Long id, String name, @Nullable String description) {}
