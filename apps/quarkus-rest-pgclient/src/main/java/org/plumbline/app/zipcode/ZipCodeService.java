package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.pgclient.PgException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
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
        return pool.inTransaction(connection -> codes.byKey(connection, zip)).map(found -> {
            if (found.isEmpty()) {
                throw new Refused(Problem.noSuchZipCode(zip));
            }
            return found.getFirst();
        });
    }

    public Uni<List<ZipCodeView>> byCity(String city) {
        return pool.inTransaction(connection -> codes.byCity(connection, city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public Uni<ZipCodeView> add(ZipCodeView code) {
        return pool.inTransaction(connection -> findOrInsert(connection, code))
                .onFailure(ZipCodeService::isDuplicate)
                .recoverWithUni(() -> byKey(code.zip()));
    }

    private Uni<ZipCodeView> findOrInsert(SqlConnection connection, ZipCodeView code) {
        return codes.byKey(connection, code.zip())
                .chain(found -> found.isEmpty()
                        ? codes.insert(connection, code)
                        : Uni.createFrom().item(found.getFirst()));
    }

    private static boolean isDuplicate(Throwable failure) {
        return failure instanceof PgException broken && Sql.UNIQUE_VIOLATION.equals(broken.getSqlState());
    }
}
