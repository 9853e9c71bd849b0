package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentTest {
    @Test
    void keysComeInTheOrderOfTheContract() {
        Environment environment = new Environment(
                new Environment.Jvm(7, "jvm", "25.0.3+9-LTS", "A \"B\"", "VM", 1, 512, List.of("Young", "Old")),
                new Environment.Component("vertx", "5"),
                new Environment.Component("driver", "6"),
                new Environment.ServingThread("loop\n0", false),
                null,
                new Environment.Pool(20, 19, 1),
                null,
                Map.of("db_tls", "off"),
                new Environment.Database("18.6", "read committed", "on", false, null, null));
        assertEquals(
                """
                {"pid":7,"runtime":"jvm","java":{"version":"25.0.3+9-LTS","vendor":"A \\"B\\"","vm":"VM"},\
                "framework":{"name":"vertx","version":"5"},"driver":{"name":"driver","version":"6"},\
                "processors":1,"heap_max_bytes":512,"collectors":["Young","Old"],\
                "thread":{"name":"loop\\u000a0","virtual":false},"pool":{"configured":20,"open":19,"in_use":1},\
                "settings":{"db_tls":"off"},"database":{"version":"18.6","isolation":"read committed",\
                "synchronous_commit":"on","tls":false,"tls_version":null,"tls_cipher":null}}""",
                environment.toJson());
        assertEquals(
                true,
                environment
                        .with(new Environment.Loops(2, "nio"))
                        .toJson()
                        .contains("false},\"loops\":{\"count\":2,\"transport\":\"nio\"},\"pool\""));
        assertEquals(
                true,
                environment
                        .with(new Environment.Sessions(3, 2))
                        .toJson()
                        .contains("\"in_use\":1},\"sessions\":{\"opened\":3,\"closed\":2},\"settings\""));
    }

    @Test
    void aPoolThatDoesNotCountWhatItLendsSaysSo() {
        Environment environment = Environment.of(
                new Environment.Component("quarkus", "3"),
                new Environment.Component("driver", "6"),
                new Environment.ServingThread("executor-thread-0", false),
                new Environment.Pool(20, 19, null),
                Settings.withoutDatabase(Map.of("HTTP_TLS", "off")),
                null);
        assertEquals(
                true, environment.toJson().contains("\"pool\":{\"configured\":20,\"open\":19,\"in_use\":null}"));
    }

    @Test
    void withoutADatabaseItsKeysAreNull() {
        Environment environment = Environment.withoutDatabase(
                new Environment.Component("quarkus", "3"),
                new Environment.ServingThread("executor-thread-0", false),
                Settings.withoutDatabase(Map.of("HTTP_TLS", "off")));
        String json = environment.toJson();
        assertEquals("\"settings\":{\"http_tls\":\"off\"},\"database\":null}", json.substring(json.indexOf("\"settings\"")));
        assertEquals(true, json.contains("\"driver\":null,") && json.contains("\"pool\":null,"));
    }
}
