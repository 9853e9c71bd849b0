package org.plumbline.app.zipcode;

import org.plumbline.app.plumbing.Json;

/** A zip code, as read and as sent. */
record ZipCode(String zip, String type, String city, String state, String county, String timezone) {

    void write(Json json) {
        json.raw("{\"zip\":").text(zip);
        json.raw(",\"type\":").text(type);
        json.raw(",\"city\":").text(city);
        json.raw(",\"state\":").text(state);
        json.raw(",\"county\":").text(county);
        json.raw(",\"timezone\":").text(timezone).raw("}");
    }
}
