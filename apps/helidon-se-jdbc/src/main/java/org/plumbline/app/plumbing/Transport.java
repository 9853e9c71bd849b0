package org.plumbline.app.plumbing;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.webserver.WebServerConfig;
import org.plumbline.domain.Settings;

/** Where Helidon listens, plain or over TLS. */
public final class Transport {
    /** The kernel cuts it to net.core.somaxconn; Helidon's own is 1024. */
    private static final int ACCEPT_QUEUE = 1 << 16;

    private final Settings settings;

    public Transport(Settings settings) {
        this.settings = settings;
    }

    public void configure(WebServerConfig.Builder server) {
        server.host(settings.httpHost()).port(settings.httpPort()).backlog(ACCEPT_QUEUE);
        Settings.HttpTls tls = settings.httpTls();
        if (tls != null && tls.on()) {
            server.tls(tls(tls));
        }
    }

    /** As everywhere TLS 1.3 with one cipher. */
    private static Tls tls(Settings.HttpTls tls) {
        Keys keys = Keys.builder()
                .pem(pem -> pem.key(Resource.create(tls.key())).certChain(Resource.create(tls.certificate())))
                .build();
        return Tls.builder()
                .privateKey(keys.privateKey().orElseThrow())
                .privateKeyCertChain(keys.certChain())
                .addEnabledProtocol("TLSv1.3")
                .addEnabledCipherSuite("TLS_AES_128_GCM_SHA256")
                .build();
    }
}
