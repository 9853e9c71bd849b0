package org.plumbline.domain.vertx.web;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.Set;
import org.plumbline.domain.Settings;

/** Makes the HTTP server of a verticle. */
public final class Servers {
    private Servers() {}

    /** As everywhere TLS 1.3 with one cipher, and HTTP/1.1. */
    public static HttpServer create(Vertx vertx, Settings.HttpTls tls) {
        if (tls == null || !tls.on()) {
            return vertx.createHttpServer();
        }
        return vertx.createHttpServer(new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(false)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setCertPath(tls.certificate().toString())
                        .setKeyPath(tls.key().toString()))
                .setEnabledSecureTransportProtocols(Set.of("TLSv1.3"))
                .addEnabledCipherSuite("TLS_AES_128_GCM_SHA256"));
    }
}
