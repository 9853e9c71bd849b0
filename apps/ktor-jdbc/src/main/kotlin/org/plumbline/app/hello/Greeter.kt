package org.plumbline.app.hello

import org.plumbline.domain.Texts

/** The service bean of the workload hello. */
class Greeter {
    fun greet(name: String?): String = "Hello, ${Texts.requireName(name)}!"
}
