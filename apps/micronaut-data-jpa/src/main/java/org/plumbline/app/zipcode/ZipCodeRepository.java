package org.plumbline.app.zipcode;

import jakarta.inject.Singleton;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.ZipCode;

/** By the EntityManager: what is new is persisted and never merged, which would read once more. */
@Singleton
public class ZipCodeRepository {
    private final EntityManager entities;

    ZipCodeRepository(EntityManager entities) {
        this.entities = entities;
    }

    public Optional<ZipCode> byKey(String zip) {
        return Optional.ofNullable(entities.find(ZipCode.class, zip));
    }

    public List<ZipCode> byCity(String city) {
        return entities.createNamedQuery(ZipCode.BY_CITY, ZipCode.class)
                .setParameter("city", city)
                .getResultList();
    }

    /** A key that is there is told at once. */
    public ZipCode insert(ZipCode code) {
        entities.persist(code);
        entities.flush();
        return code;
    }
}
