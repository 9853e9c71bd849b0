package org.plumbline.app.plumbing;

import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.plumbline.domain.Settings;

/** Where Jetty listens: HTTP/1.1, plain or over TLS. */
public final class Connectors {
    /** The kernel cuts it to net.core.somaxconn; Jetty would leave it to the JDK, which takes 50. */
    private static final int ACCEPT_QUEUE = 1 << 16;

    private final Settings settings;

    public Connectors(Settings settings) {
        this.settings = settings;
    }

    public Connector connector(Server server, HttpConfiguration configuration) {
        Settings.HttpTls tls = settings.httpTls();
        ServerConnector connector;
        if (tls != null && tls.on()) {
            configuration.addCustomizer(new SecureRequestCustomizer());
            connector = new ServerConnector(server, tls(), new HttpConnectionFactory(configuration));
        } else {
            connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
        }
        connector.setHost(settings.httpHost());
        connector.setPort(settings.httpPort());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        return connector;
    }

    /** As everywhere TLS 1.3 with one cipher. Jetty reads stores, no PEM. */
    private static SslContextFactory.Server tls() {
        SslContextFactory.Server factory = new SslContextFactory.Server();
        factory.setKeyStorePath(System.getenv("HTTP_TLS_STORE"));
        factory.setKeyStorePassword(System.getenv("HTTP_TLS_STORE_PASSWORD"));
        factory.setKeyStoreType("PKCS12");
        factory.setIncludeProtocols("TLSv1.3");
        factory.setIncludeCipherSuites("TLS_AES_128_GCM_SHA256");
        return factory;
    }
}
