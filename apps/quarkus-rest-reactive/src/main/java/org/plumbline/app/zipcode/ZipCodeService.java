package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.ZipCode;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation. */
@ApplicationScoped
public class ZipCodeService {
    private final Pool pool;
    private final ZipCodeRepository codes;

    ZipCodeService(Pool pool, ZipCodeRepository codes) {
        this.pool = pool;
        this.codes = codes;
    }

    public Uni<ZipCodeView> byKey(String zip) {
        return pool.reading(session -> codes.byKey(session, zip))
                .onItem()
                .ifNull()
                .failWith(() -> new Refused(Problem.noSuchZipCode(zip)))
                .map(ZipCode::view);
    }

    public Uni<List<ZipCodeView>> byCity(String city) {
        return pool.reading(session -> codes.byCity(session, city))
                .map(found -> found.stream().map(ZipCode::view).toList());
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public Uni<ZipCodeView> add(ZipCodeView code) {
        return pool.writing(session -> codes.byKey(session, code.zip())
                        .onItem()
                        .ifNull()
                        .switchTo(() -> codes.insert(session, new ZipCode(code))))
                .map(ZipCode::view)
                .onFailure(ConstraintViolationException.class)
                .recoverWithUni(() -> byKey(code.zip()));
    }
}
