package org.plumbline.app.plumbing

import io.ktor.http.ContentType
import io.ktor.http.content.OutgoingContent
import io.ktor.http.content.OutputStreamContent
import io.ktor.serialization.Configuration
import io.ktor.serialization.ContentConverter
import io.ktor.serialization.JsonConvertException
import io.ktor.util.reflect.TypeInfo
import io.ktor.util.reflect.reifiedType
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.charsets.Charset
import io.ktor.utils.io.jvm.javaio.toInputStream
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import tools.jackson.core.JacksonException
import tools.jackson.databind.json.JsonMapper

/** JSON by Jackson 3, whose defaults are the contract's: keys that nobody knows are ignored, what follows the object is not. */
fun Configuration.json() = register(ContentType.Application.Json, JacksonConverter(JsonMapper()))

/** As Ktor's module for Jackson 3 does by default, which was not to be had in this release: JSON is streamed both ways. */
private class JacksonConverter(private val mapper: JsonMapper) : ContentConverter {
    override suspend fun serialize(
        contentType: ContentType,
        charset: Charset,
        typeInfo: TypeInfo,
        value: Any?,
    ): OutgoingContent = OutputStreamContent({ mapper.writeValue(this, value) }, contentType)

    override suspend fun deserialize(charset: Charset, typeInfo: TypeInfo, content: ByteReadChannel): Any =
        try {
            withContext(Dispatchers.IO) {
                mapper.readValue<Any?>(content.toInputStream(), mapper.constructType(typeInfo.reifiedType))
            } ?: throw JsonConvertException("The body is null.")
        } catch (otherShape: JacksonException) {
            throw JsonConvertException("The body is no such object.", otherShape)
        }
}
