package org.plumbline.app.companies;

import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanySql;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads of one transaction each, and batches of single statements. */
@Service
public class CompanyService {
    private final Pool pool;
    private final CompanyRepository companies;

    CompanyService(Pool pool, CompanyRepository companies) {
        this.pool = pool;
        this.companies = companies;
    }

    public Mono<CompanyView> byId(int id) {
        return pool.reading(connection -> companies.find(connection, CompanySql.BY_ID, id))
                .flatMap(found -> Mono.justOrEmpty(found.stream().findFirst()))
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchCompany(Integer.toString(id)))));
    }

    public Mono<List<CompanyView>> first(int limit) {
        return pool.reading(connection -> companies.find(connection, CompanySql.FIRST, limit));
    }

    /** As many queries at once as connections; each that ends starts the next. */
    public Mono<BatchResult> batch(Batch batch) {
        return Mono.defer(() -> {
            BatchTally tally = new BatchTally(batch);
            return Flux.range(0, batch.count())
                    .flatMap(
                            index -> pool.single(connection ->
                                            companies.find(connection, batch.query().sql(), batch.parameter(index)))
                                    .doOnNext(found -> found.forEach(tally::row)),
                            pool.now().configured())
                    .then(Mono.fromSupplier(tally::result));
        });
    }
}
