package org.plumbline.app.plumbing;

import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.plumbline.domain.FruitSql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    private final Seen seen;
    private final SessionFactory sessions;

    EnvironmentEndpoint(Seen seen, SessionFactory sessions) {
        this.seen = seen;
        this.sessions = sessions;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional
    public String environment() throws SQLException {
        return seen.now()
                .alsoUnderstood("sql", FruitSql.from(System.getenv()).word())
                .alsoUnderstood("second_level_cache", secondLevelCache())
                .toJson();
    }

    /** The setting second-level-cache, which the build decided. */
    private String secondLevelCache() {
        return sessions.unwrap(SessionFactoryImplementor.class)
                        .getSessionFactoryOptions()
                        .isSecondLevelCacheEnabled()
                ? "on"
                : "off";
    }
}
