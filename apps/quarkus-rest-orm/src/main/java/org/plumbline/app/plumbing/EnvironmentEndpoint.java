package org.plumbline.app.plumbing;

import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import org.plumbline.domain.FruitSql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    private final Seen seen;
    private final Pool pool;
    private final Tuning tuning;

    EnvironmentEndpoint(Seen seen, Pool pool, Tuning tuning) {
        this.seen = seen;
        this.pool = pool;
        this.tuning = tuning;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional
    public String environment() throws SQLException {
        return seen.now()
                .alsoUnderstood("profile", tuning.profile())
                .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord())
                .alsoUnderstood("sql", FruitSql.from(System.getenv()).word())
                .alsoUnderstood("second_level_cache", tuning.secondLevelCache())
                .toJson();
    }
}
