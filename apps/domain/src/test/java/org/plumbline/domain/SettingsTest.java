package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private final Map<String, String> env = new HashMap<>(Map.of(
            "DB_HOST", "127.0.0.1",
            "DB_PORT", "5432",
            "DB_NAME", "fruits",
            "DB_USER", "bench",
            "DB_PASSWORD", "secret",
            "DB_POOL_SIZE", "20"));

    @Test
    void httpAndTlsHaveDefaults() {
        Settings settings = Settings.from(env);
        assertEquals("127.0.0.1", settings.httpHost());
        assertEquals(8080, settings.httpPort());
        assertEquals(Settings.Tls.OFF, settings.database().tls());
        assertNull(settings.database().ca());
        assertEquals(20, settings.database().poolSize());
    }

    @Test
    void requiredTlsNeedsItsAuthority() {
        env.put("DB_TLS", "require");
        assertRefused("DB_CA must be set.");
        env.put("DB_CA", "/keys/ca.pem");
        assertEquals(Path.of("/keys/ca.pem"), Settings.from(env).database().ca());
    }

    @Test
    void theEngineIsPostgresqlUnlessSaid() {
        assertEquals(Engine.PG, Settings.from(env).database().engine());
        env.put("DB_ENGINE", "mysql");
        assertEquals(Engine.MYSQL, Settings.from(env).database().engine());
        env.put("DB_ENGINE", "oracle");
        assertRefused("DB_ENGINE must be pg or mysql, not oracle.");
    }

    @Test
    void httpTlsIsWhatWasSaidOfIt() {
        assertNull(Settings.from(env).httpTls());
        env.put("HTTP_TLS", "off");
        assertEquals("off", Settings.from(env).httpTls().word());
        env.put("HTTP_TLS", "on");
        assertRefused("HTTP_TLS_CERT must be set.");
        env.put("HTTP_TLS_CERT", "/keys/server.pem");
        assertRefused("HTTP_TLS_KEY must be set.");
        env.put("HTTP_TLS_KEY", "/keys/server.key");
        assertEquals(
                new Settings.HttpTls(true, Path.of("/keys/server.pem"), Path.of("/keys/server.key")),
                Settings.from(env).httpTls());
        env.put("HTTP_TLS", "maybe");
        assertRefused("HTTP_TLS must be off or on, not maybe.");
    }

    @Test
    void aStartersPoolIsItsOwn() {
        assertEquals("on", Settings.from(env).database().warmUpWord());
        env.remove("DB_POOL_SIZE");
        assertRefused("DB_POOL_SIZE must be set.");
        env.put("PROFILE", "defaults");
        env.put("POOL_WARM_UP", "off");
        Settings.Database own = Settings.from(env).database();
        assertEquals(List.of(0, 0), List.of(own.poolSize(), own.timeoutMs()));
        assertEquals("off", own.warmUpWord());
    }

    @Test
    void pipeliningIsAskedFor() {
        assertEquals("off", Settings.from(env).database().pipeliningWord());
        env.put("PIPELINING", "on");
        assertEquals("on", Settings.from(env).database().pipeliningWord());
    }

    @Test
    void sayWhichVariableIsWrong() {
        env.put("DB_POOL_SIZE", "0");
        assertRefused("DB_POOL_SIZE must be a positive whole number, not 0.");
        env.put("DB_TLS", "prefer");
        assertRefused("DB_TLS must be off or require, not prefer.");
        env.remove("DB_TLS");
        env.remove("DB_HOST");
        assertRefused("DB_HOST must be set.");
    }

    private void assertRefused(String message) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> Settings.from(env)).getMessage());
    }
}
