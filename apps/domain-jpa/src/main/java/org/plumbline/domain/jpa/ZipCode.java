package org.plumbline.domain.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.NamedQuery;
import jakarta.persistence.Table;
import org.plumbline.domain.zipcode.ZipCodeView;

/** A zip code; its key is given by the client, so persist and never merge, which would read once more. */
@Entity
@Table(name = "zipcode")
@NamedQuery(name = ZipCode.BY_CITY, query = "select z from ZipCode z where z.city = :city order by z.zip")
public class ZipCode {
    public static final String BY_CITY = "ZipCode.byCity";

    @Id
    @Column(name = "zip", length = 100)
    private String zip;

    @Column(name = "type")
    private String type;

    @Column(name = "city")
    private String city;

    @Column(name = "state")
    private String state;

    @Column(name = "county")
    private String county;

    @Column(name = "timezone")
    private String timezone;

    /** For JPA. */
    public ZipCode() {}

    public ZipCode(ZipCodeView view) {
        zip = view.zip();
        type = view.type();
        city = view.city();
        state = view.state();
        county = view.county();
        timezone = view.timezone();
    }

    public ZipCodeView view() {
        return new ZipCodeView(zip, type, city, state, county, timezone);
    }
}
