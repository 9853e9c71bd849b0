package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.jpa.ZipCode;
import org.plumbline.domain.zipcode.ZipCodeView;

/**
 * The mistake of study 000, on purpose: the annotation of blocking transactions on a method that only promises its
 * result. The transaction that it opens is over before the work begins, and nobody closes the session of the work: each
 * takes a connection out of the pool and keeps it, and when all are taken every request waits for ever.
 *
 * <p>Quarkus before 3.35: from there on the annotation is a reactive transaction on such a method.
 * https://github.com/quarkusio/quarkus/pull/51063
 */
@Alternative
@Priority(1)
@ApplicationScoped
public class BlockedZipCodeService extends ZipCodeService {
    private final Mutiny.SessionFactory sessions;
    private final ZipCodeRepository codes;

    /** For the proxy alone: the class that it extends has no constructor without arguments to call. */
    BlockedZipCodeService() {
        super(null, null);
        this.sessions = null;
        this.codes = null;
    }

    @Inject
    BlockedZipCodeService(Pool pool, ZipCodeRepository codes, Mutiny.SessionFactory sessions) {
        super(pool, codes);
        this.sessions = sessions;
        this.codes = codes;
    }

    @Override
    @Transactional
    public Uni<ZipCodeView> add(ZipCodeView code) {
        return sessions.openSession()
                .chain(session -> codes.byKey(session, code.zip())
                        .onItem()
                        .ifNull()
                        .switchTo(() -> codes.insert(session, new ZipCode(code))))
                .map(ZipCode::view);
    }
}
