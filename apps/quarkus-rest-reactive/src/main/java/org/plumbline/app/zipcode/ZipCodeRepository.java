package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.domain.jpa.ZipCode;

/** On the session of the caller; what is new is persisted and never merged, which would read once more. */
@ApplicationScoped
public class ZipCodeRepository {

    /** Null when there is none. */
    Uni<ZipCode> byKey(Mutiny.Session session, String zip) {
        return session.find(ZipCode.class, zip);
    }

    Uni<List<ZipCode>> byCity(Mutiny.Session session, String city) {
        return session.createNamedQuery(ZipCode.BY_CITY, ZipCode.class)
                .setParameter("city", city)
                .getResultList();
    }

    /** A key that is there is told at once. */
    Uni<ZipCode> insert(Mutiny.Session session, ZipCode code) {
        return session.persist(code).chain(session::flush).replaceWith(code);
    }
}
