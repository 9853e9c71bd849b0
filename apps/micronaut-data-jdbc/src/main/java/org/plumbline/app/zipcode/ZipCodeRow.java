package org.plumbline.app.zipcode;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import org.plumbline.domain.zipcode.ZipCodeView;

/** A row of zipcode; its key is given by the client. */
@MappedEntity("zipcode")
public record ZipCodeRow(
        @Id String zip,
        @Nullable String type,
        @Nullable String city,
        @Nullable String state,
        @Nullable String county,
        @Nullable String timezone) {

    ZipCodeRow(ZipCodeView view) {
        this(view.zip(), view.type(), view.city(), view.state(), view.county(), view.timezone());
    }

    ZipCodeView view() {
        return new ZipCodeView(zip, type, city, state, county, timezone);
    }
}
