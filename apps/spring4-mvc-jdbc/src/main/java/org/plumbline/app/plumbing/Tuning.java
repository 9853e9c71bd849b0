package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.apache.coyote.AbstractProtocol;
import org.plumbline.domain.Environment;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.stereotype.Component;

/** The setting profile, by the values that the pool and Tomcat have, and by the profile that Spring was asked for. */
@Component
public class Tuning {
    private static final long USUAL_TIMEOUT_MS = new HikariConfig().getConnectionTimeout();
    private static final int USUAL_THREADS = new TomcatServerProperties().getThreads().getMax();

    private final HikariDataSource dataSource;
    private final ServletWebServerApplicationContext context;

    Tuning(HikariDataSource dataSource, ServletWebServerApplicationContext context) {
        this.dataSource = dataSource;
        this.context = context;
    }

    /** Adds the settings that the objects of this variant tell. */
    Environment in(Environment environment, boolean virtualThreads) {
        return environment.alsoUnderstood("profile", profile(virtualThreads));
    }

    /**
     * {@code tuned}, {@code parity}, {@code defaults}, or what is none of them. Of requests on virtual threads Tomcat's do not
     * count.
     */
    private String profile(boolean virtualThreads) {
        boolean itsOwn = dataSource.getConnectionTimeout() == USUAL_TIMEOUT_MS;
        int threads = threads();
        // On virtual threads, and with a pool of as many connections as usual threads, the tuned value is the usual one too.
        boolean asksForTuned = context.getEnvironment().matchesProfiles("tuned");
        if (asksForTuned && !itsOwn && (virtualThreads || threads == dataSource.getMaximumPoolSize())) {
            return "tuned";
        }
        if (!asksForTuned && (virtualThreads || threads == USUAL_THREADS)) {
            return itsOwn ? "defaults" : "parity";
        }
        return "threads %d, timeout %d ms".formatted(threads, dataSource.getConnectionTimeout());
    }

    private int threads() {
        TomcatWebServer server = (TomcatWebServer) context.getWebServer();
        return ((AbstractProtocol<?>) server.getTomcat().getConnector().getProtocolHandler()).getMaxThreads();
    }
}
