package org.plumbline.app.plumbing

import io.ktor.server.engine.connector
import io.ktor.server.engine.sslConnector
import io.ktor.server.netty.NettyApplicationEngine
import io.netty.handler.ssl.SslHandler
import java.io.File
import java.security.KeyStore
import org.plumbline.domain.Settings

private val CIPHERS = arrayOf("TLS_AES_128_GCM_SHA256")

/** Where Netty listens: HTTP/1.1, plain or over TLS; its accept queue is as long as the kernel allows. */
fun NettyApplicationEngine.Configuration.listen(settings: Settings) {
    if (settings.httpTls()?.on() == true) {
        listenOverTls(settings)
    } else {
        connector {
            host = settings.httpHost()
            port = settings.httpPort()
        }
    }
}

/** As everywhere TLS 1.3 with one cipher. Ktor takes a key store, no PEM, and has no word for ciphers. */
private fun NettyApplicationEngine.Configuration.listenOverTls(settings: Settings) {
    val password = System.getenv("HTTP_TLS_STORE_PASSWORD").toCharArray()
    val store = KeyStore.getInstance(File(System.getenv("HTTP_TLS_STORE")), password)
    sslConnector(store, store.aliases().nextElement(), { password.copyOf() }, { password.copyOf() }) {
        host = settings.httpHost()
        port = settings.httpPort()
        enabledProtocols = listOf("TLSv1.3")
    }
    enableHttp2 = false
    channelPipelineConfig = { get(SslHandler::class.java).engine().enabledCipherSuites = CIPHERS }
}
