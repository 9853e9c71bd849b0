package org.plumbline.app.zipcode;

import jakarta.inject.Singleton;
import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.zipcode.ZipCodeView;
import reactor.core.publisher.Mono;

/** One transaction an operation. */
@Singleton
public class ZipCodeService {
    private final Pool pool;
    private final ZipCodeRepository codes;

    ZipCodeService(Pool pool, ZipCodeRepository codes) {
        this.pool = pool;
        this.codes = codes;
    }

    public Mono<ZipCodeView> byKey(String zip) {
        return pool.reading(connection -> codes.byKey(connection, zip))
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchZipCode(zip))));
    }

    public Mono<List<ZipCodeView>> byCity(String city) {
        return pool.reading(connection -> codes.byCity(connection, city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public Mono<ZipCodeView> add(ZipCodeView code) {
        return pool.writing(connection -> codes.byKey(connection, code.zip())
                        .switchIfEmpty(Mono.defer(() -> codes.insert(connection, code))))
                .onErrorResume(Statements::isDuplicateKey, exists -> byKey(code.zip()));
    }
}
