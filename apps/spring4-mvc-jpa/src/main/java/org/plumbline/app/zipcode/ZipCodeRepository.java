package org.plumbline.app.zipcode;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.ZipCode;
import org.springframework.stereotype.Repository;

/** By the EntityManager: Spring Data's save() merges what has a key already, which would read once more. */
@Repository
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

    public ZipCode insert(ZipCode code) {
        entities.persist(code);
        return code;
    }
}
