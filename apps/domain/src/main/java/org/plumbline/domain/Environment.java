package org.plumbline.domain;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The answer of {@code GET /environment}: what runs, as seen from inside the process. Without a database driver, pool and
 * database are null; loops are null where a variant does not tell them, sessions where it has none of Hibernate Reactive.
 */
public record Environment(
        Jvm jvm,
        Component framework,
        Component driver,
        ServingThread thread,
        Loops loops,
        Pool pool,
        Sessions sessions,
        Map<String, String> settings,
        Database database) {

    /** A framework or a driver and its version. */
    public record Component(String name, String version) {}

    /** Event loops, and what carries their bytes: {@code native} (epoll) or {@code nio}, Java's own. */
    public record Loops(int count, String transport) {
        private static final String NATIVE = "native";

        /** The loops of a group, told by going through it. */
        public static Loops of(Iterable<?> group, boolean isNative) {
            int count = 0;
            for (Object loop : group) {
                count++;
            }
            return new Loops(count, isNative ? NATIVE : "nio");
        }

        /** The setting profile of a variant whose tuned file is about the transport alone. */
        public String profile() {
            return NATIVE.equals(transport) ? "tuned" : "parity";
        }
    }

    /** Connections: the stated maximum, the open ones, those lent out at this moment; null where the pool does not count them. */
    public record Pool(int configured, int open, Integer inUse) {
        /** Whether all its connections are open. */
        public boolean full() {
            return open == configured;
        }
    }

    /** Sessions that were opened and closed since the start; one within another is counted as one more. */
    public record Sessions(long opened, long closed) {}

    /** What {@link Engine#environment} answers, column by column; version and cipher are null without TLS. */
    public record Database(
            String version,
            String isolation,
            String synchronousCommit,
            boolean tls,
            String tlsVersion,
            String tlsCipher) {

        /** The row that JDBC answers. */
        public static Database seen(ResultSet row) throws SQLException {
            return new Database(
                    row.getString("version"),
                    row.getString("isolation"),
                    row.getString("synchronous_commit"),
                    row.getBoolean("tls"),
                    row.getString("tls_version"),
                    row.getString("tls_cipher"));
        }
    }

    /** The thread that runs the handler. */
    public record ServingThread(String name, boolean virtual) {
        public static ServingThread current() {
            Thread thread = Thread.currentThread();
            return new ServingThread(thread.getName(), thread.isVirtual());
        }
    }

    /** The runtime. */
    public record Jvm(
            long pid,
            String runtime,
            String version,
            String vendor,
            String vm,
            int processors,
            long heapMaxBytes,
            List<String> collectors) {
        public static Jvm current() {
            boolean isNative = System.getProperty("org.graalvm.nativeimage.imagecode") != null;
            return new Jvm(
                    ProcessHandle.current().pid(),
                    isNative ? "native" : "jvm",
                    System.getProperty("java.runtime.version", System.getProperty("java.version")),
                    System.getProperty("java.vendor"),
                    System.getProperty("java.vm.name"),
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.getRuntime().maxMemory(),
                    ManagementFactory.getGarbageCollectorMXBeans().stream()
                            .map(GarbageCollectorMXBean::getName)
                            .toList());
        }
    }

    /** The environment with the facts of this JVM, and the settings as the contract names them. */
    public static Environment of(
            Component framework,
            Component driver,
            ServingThread thread,
            Pool pool,
            Settings settings,
            Database database) {
        Map<String, String> understood = new LinkedHashMap<>();
        if (settings.database() != null) {
            understood.put("db_tls", settings.database().tls().word());
        }
        if (settings.httpTls() != null) {
            understood.put("http_tls", settings.httpTls().word());
        }
        if (hasAgent()) {
            understood.put("otel", "agent");
        }
        return new Environment(Jvm.current(), framework, driver, thread, null, pool, null, understood, database);
    }

    /** Whether OpenTelemetry's agent is at work: it puts classes of its own beside those of the JDK. */
    private static boolean hasAgent() {
        try {
            Class.forName("io.opentelemetry.javaagent.bootstrap.AgentInitializer", false, null);
            return true;
        } catch (ClassNotFoundException none) {
            return false;
        }
    }

    /** Of a variant without a database. */
    public static Environment withoutDatabase(Component framework, ServingThread thread, Settings settings) {
        return of(framework, null, thread, null, settings, null);
    }

    /** The same with a setting that this variant alone has. */
    public Environment alsoUnderstood(String name, String value) {
        Map<String, String> understood = new LinkedHashMap<>(settings);
        understood.put(name, value);
        return new Environment(jvm, framework, driver, thread, loops, pool, sessions, understood, database);
    }

    /** The same of a variant that tells its event loops. */
    public Environment with(Loops seen) {
        return new Environment(jvm, framework, driver, thread, seen, pool, sessions, settings, database);
    }

    /** The same of a variant that counts its sessions. */
    public Environment with(Sessions counted) {
        return new Environment(jvm, framework, driver, thread, loops, pool, counted, settings, database);
    }

    /** JSON in the contract's order of keys; written by hand so that it needs neither a library nor reflection. */
    public String toJson() {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("pid", jvm.pid());
        keys.put("runtime", jvm.runtime());
        keys.put("java", ordered("version", jvm.version(), "vendor", jvm.vendor(), "vm", jvm.vm()));
        keys.put("framework", component(framework));
        keys.put("driver", driver == null ? null : component(driver));
        keys.put("processors", jvm.processors());
        keys.put("heap_max_bytes", jvm.heapMaxBytes());
        keys.put("collectors", jvm.collectors());
        keys.put("thread", ordered("name", thread.name(), "virtual", thread.virtual()));
        if (loops != null) {
            keys.put("loops", ordered("count", loops.count(), "transport", loops.transport()));
        }
        keys.put(
                "pool",
                pool == null
                        ? null
                        : ordered("configured", pool.configured(), "open", pool.open(), "in_use", pool.inUse()));
        if (sessions != null) {
            keys.put("sessions", ordered("opened", sessions.opened(), "closed", sessions.closed()));
        }
        keys.put("settings", settings);
        keys.put("database", database == null ? null : seen(database));
        return JsonText.of(keys);
    }

    private static Map<String, Object> component(Component component) {
        return ordered("name", component.name(), "version", component.version());
    }

    private static Map<String, Object> seen(Database database) {
        return ordered(
                "version", database.version(),
                "isolation", database.isolation(),
                "synchronous_commit", database.synchronousCommit(),
                "tls", database.tls(),
                "tls_version", database.tlsVersion(),
                "tls_cipher", database.tlsCipher());
    }

    private static Map<String, Object> ordered(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }
}
