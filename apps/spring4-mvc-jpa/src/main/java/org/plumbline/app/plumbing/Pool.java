package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.plumbline.domain.Environment;
import org.springframework.stereotype.Component;

/** The pool as it is now; HikariCP fills it in the background from its first connection on, which JPA takes at start. */
@Component
public class Pool {
    private final HikariDataSource dataSource;

    Pool(HikariDataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Environment.Pool now() {
        HikariPoolMXBean pool = dataSource.getHikariPoolMXBean();
        return new Environment.Pool(
                dataSource.getMaximumPoolSize(), pool.getTotalConnections(), pool.getActiveConnections());
    }

    public boolean full() {
        Environment.Pool pool = now();
        return pool.open() == pool.configured();
    }
}
