package org.plumbline.domain.zipcode;

import org.plumbline.domain.Texts;

/** A zip code as it stands on the wire, both ways; the order of the components is the order of the keys. */
public record ZipCodeView(String zip, String type, String city, String state, String county, String timezone) {

    /** Of the column {@code zip}, which counts code points. */
    private static final int MAX_ZIP = 100;

    /** Itself, or {@link org.plumbline.domain.Refused} with the 400 of the contract. */
    public ZipCodeView validated() {
        Texts.require("zip", zip, MAX_ZIP);
        Texts.requireFitting("type", type);
        Texts.requireFitting("city", city);
        Texts.requireFitting("state", state);
        Texts.requireFitting("county", county);
        Texts.requireFitting("timezone", timezone);
        return this;
    }

    /** The parameter {@code city}, or {@link org.plumbline.domain.Refused} when it is missing, blank or too long. */
    public static String requireCity(String city) {
        return Texts.require("city", city, Texts.MAX_CODE_POINTS);
    }
}
