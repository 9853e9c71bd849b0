package org.plumbline.app.plumbing;

import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    private final Seen seen;

    EnvironmentEndpoint(Seen seen) {
        this.seen = seen;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional
    public String environment() throws SQLException {
        return seen.now().toJson();
    }
}
