package org.plumbline.app.zipcode;

import java.util.List;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.zipcode.ZipCodeView;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** One transaction an operation; by operators, since add() goes on after the end of one. */
@Service
public class ZipCodeService {
    private final ZipCodeRepository codes;
    private final TransactionalOperator reading;
    private final TransactionalOperator writing;

    ZipCodeService(ZipCodeRepository codes, ReactiveTransactionManager transactions) {
        this.codes = codes;
        DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
        readOnly.setReadOnly(true);
        reading = TransactionalOperator.create(transactions, readOnly);
        writing = TransactionalOperator.create(transactions);
    }

    public Mono<ZipCodeView> byKey(String zip) {
        return codes.byKey(zip)
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchZipCode(zip))))
                .as(reading::transactional);
    }

    public Mono<List<ZipCodeView>> byCity(String city) {
        return codes.byCity(city).as(reading::transactional);
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public Mono<ZipCodeView> add(ZipCodeView code) {
        return codes.byKey(code.zip())
                .switchIfEmpty(Mono.defer(() -> codes.insert(code)))
                .as(writing::transactional)
                .onErrorResume(DuplicateKeyException.class, exists -> byKey(code.zip()));
    }
}
