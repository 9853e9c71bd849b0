package org.plumbline.app.plumbing;

import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.PoolMetrics;
import jakarta.annotation.PostConstruct;
import org.plumbline.domain.Environment;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.Settings;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.stereotype.Component;

/** The settings and the pool as they are now; the pool opens its connections when first asked, so the start asks. */
@Component
public class Pool {
    private final ConnectionPool connections;
    private final Settings settings;
    private final R2dbcChoices choices;
    private final R2dbcProperties properties;

    Pool(ConnectionPool connections, Settings settings, R2dbcChoices choices, R2dbcProperties properties) {
        this.connections = connections;
        this.settings = settings;
        this.choices = choices;
        this.properties = properties;
    }

    /**
     * Before the port opens: requests that meet a warm-up under way wait for ever. Never again when it failed: after one
     * that took too long the pool counts connections that it does not have.
     */
    @PostConstruct
    void fill() {
        if (choices.warmUp()) {
            connections.warmup().block();
        }
    }

    public Settings settings() {
        return settings;
    }

    /** Whether the pool is the starter's, in which a request waits for a connection however long it takes. */
    public boolean isStarters() {
        return properties.getPool().getMaxAcquireTime() == null;
    }

    public Environment.Pool now() {
        PoolMetrics pool = connections.getMetrics().orElseThrow();
        return new Environment.Pool(pool.getMaxAllocatedSize(), pool.allocatedSize(), pool.acquiredSize());
    }

    /** Full, unless the settings leave it to the first requests to fill it, or to open more than the first ones. */
    public boolean ready() {
        Environment.Pool pool = now();
        return !choices.warmUp() || pool.open() >= choices.initial(pool.configured());
    }
}
