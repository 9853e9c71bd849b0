package org.plumbline.app.companies;

import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.app.plumbing.Text;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanySql;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads of one transaction each, and batches of single statements. */
@Service
public class CompanyService {
    private final CompanyRepository companies;
    private final Pool pool;

    CompanyService(CompanyRepository companies, Pool pool) {
        this.companies = companies;
        this.pool = pool;
    }

    @Transactional(readOnly = true)
    public Mono<CompanyView> byId(int id) {
        return companies.find(Text.of(CompanySql.BY_ID), id)
                .singleOrEmpty()
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchCompany(Integer.toString(id)))));
    }

    @Transactional(readOnly = true)
    public Mono<List<CompanyView>> first(int limit) {
        return companies.find(Text.of(CompanySql.FIRST), limit).collectList();
    }

    /** As many queries at once as connections; each that ends starts the next. */
    public Mono<BatchResult> batch(Batch batch) {
        return Mono.defer(() -> {
            BatchTally tally = new BatchTally(batch);
            String sql = Text.of(batch.query().sql());
            return Flux.range(0, batch.count())
                    .flatMap(
                            index -> companies.findAlone(sql, batch.parameter(index))
                                    .doOnNext(tally::row),
                            pool.now().configured())
                    .then(Mono.fromSupplier(tally::result));
        });
    }
}
