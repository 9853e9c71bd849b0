package org.plumbline.app.zipcode;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.plumbline.domain.jpa.ZipCode;

/** On the session of the current transaction; what is new is persisted and never merged, which would read once more. */
@ApplicationScoped
public class ZipCodeRepository {
    private final Session session;

    ZipCodeRepository(Session session) {
        this.session = session;
    }

    /** Nothing loaded is kept for comparison or flushed, as in FruitRepository. */
    void onlyRead() {
        session.setDefaultReadOnly(true);
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }

    public Optional<ZipCode> byKey(String zip) {
        return Optional.ofNullable(session.find(ZipCode.class, zip));
    }

    public List<ZipCode> byCity(String city) {
        return session.createNamedQuery(ZipCode.BY_CITY, ZipCode.class)
                .setParameter("city", city)
                .getResultList();
    }

    /** A key that is there is told at once. */
    public ZipCode insert(ZipCode code) {
        session.persist(code);
        session.flush();
        return code;
    }
}
