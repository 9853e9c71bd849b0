package org.plumbline.app.plumbing;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** {@code GET /environment}: what runs, as seen from inside. */
public final class EnvironmentEndpoint {
    private final Pool pool;
    private final Driver driver;

    public EnvironmentEndpoint(Pool pool, Driver driver) {
        this.pool = pool;
        this.driver = driver;
    }

    public Answer environment() throws SQLException, InterruptedException {
        return Answer.json(pool.reading(this::environment));
    }

    private Json environment(Connection connection) throws SQLException {
        Json json = new Json();
        writeJvm(json);
        json.raw(",\"framework\":{\"name\":\"none\",\"version\":").text(Runtime.version().toString());
        json.raw("},\"driver\":{\"name\":").text(driver.engine().driver());
        json.raw(",\"version\":").text(connection.getMetaData().getDriverVersion());
        Thread thread = Thread.currentThread();
        json.raw("},\"processors\":").number(Runtime.getRuntime().availableProcessors());
        json.raw(",\"heap_max_bytes\":").number(Runtime.getRuntime().maxMemory());
        json.raw(",\"collectors\":")
                .list(
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .map(GarbageCollectorMXBean::getName)
                                .toList(),
                        json::text);
        json.raw(",\"thread\":{\"name\":").text(thread.getName());
        json.raw(",\"virtual\":").raw(Boolean.toString(thread.isVirtual()));
        json.raw("},\"pool\":{\"configured\":").number(pool.configured());
        json.raw(",\"open\":").number(pool.configured());
        json.raw(",\"in_use\":").number(pool.inUse());
        json.raw("},\"settings\":{\"db_tls\":").text(driver.tls());
        json.raw("},\"database\":");
        writeDatabase(json, connection);
        return json.raw("}");
    }

    private static void writeJvm(Json json) {
        json.raw("{\"pid\":").number(ProcessHandle.current().pid());
        json.raw(",\"runtime\":\"jvm\",\"java\":{\"version\":").text(Runtime.version().toString());
        json.raw(",\"vendor\":").text(System.getProperty("java.vendor"));
        json.raw(",\"vm\":").text(System.getProperty("java.vm.name")).raw("}");
    }

    private void writeDatabase(Json json, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(driver.engine().environment())) {
            row.next();
            json.raw("{\"version\":").text(row.getString(1));
            json.raw(",\"isolation\":").text(row.getString(2));
            json.raw(",\"synchronous_commit\":").text(row.getString(3));
            json.raw(",\"tls\":").raw(Boolean.toString(row.getBoolean(4)));
            json.raw(",\"tls_version\":").text(row.getString(5));
            json.raw(",\"tls_cipher\":").text(row.getString(6)).raw("}");
        }
    }
}
