package org.plumbline.app.zipcode;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.Repository;
import io.micronaut.data.repository.GenericRepository;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.ZipCode;

/** By key through the EntityManager: Micronaut Data sees no key in an entity without getters. Its save() persists, and never merges. */
@Repository
public abstract class ZipCodeRepository implements GenericRepository<ZipCode, String> {
    private final EntityManager entities;

    ZipCodeRepository(EntityManager entities) {
        this.entities = entities;
    }

    public Optional<ZipCode> byKey(String zip) {
        return Optional.ofNullable(entities.find(ZipCode.class, zip));
    }

    @Query("select z from ZipCode z where z.city = :city order by z.zip")
    public abstract List<ZipCode> byCity(String city);

    public abstract ZipCode save(ZipCode code);
}
