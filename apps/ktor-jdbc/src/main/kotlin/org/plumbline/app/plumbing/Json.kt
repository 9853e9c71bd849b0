package org.plumbline.app.plumbing

import io.ktor.http.ContentType
import io.ktor.http.content.ByteArrayContent
import io.ktor.http.content.OutgoingContent
import io.ktor.serialization.Configuration
import io.ktor.serialization.ContentConverter
import io.ktor.util.reflect.TypeInfo
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.charsets.Charset
import io.ktor.utils.io.discard
import io.ktor.utils.io.readRemaining
import kotlinx.io.readByteArray
import org.plumbline.domain.Problem
import org.plumbline.domain.Refused
import tools.jackson.databind.json.JsonMapper

/** Contract: a body of 10 MB is refused. */
private const val BODY_LIMIT_BYTES = 64 * 1024L

/** JSON by Jackson 3, whose defaults are the contract's: keys that nobody knows are ignored, what follows the object is not. */
fun Configuration.json() = register(ContentType.Application.Json, JacksonConverter(JsonMapper()))

/** Ktor's module for Jackson was not to be had in this release; like that, this turns whole bodies into objects. */
private class JacksonConverter(private val mapper: JsonMapper) : ContentConverter {
    override suspend fun serialize(
        contentType: ContentType,
        charset: Charset,
        typeInfo: TypeInfo,
        value: Any?,
    ): OutgoingContent = ByteArrayContent(mapper.writeValueAsBytes(value), contentType)

    /** A body that is too long is taken all the same: a client that still sends would not hear the answer. */
    override suspend fun deserialize(charset: Charset, typeInfo: TypeInfo, content: ByteReadChannel): Any? {
        val body = content.readRemaining(BODY_LIMIT_BYTES + 1).readByteArray()
        if (body.size > BODY_LIMIT_BYTES) {
            content.discard()
            throw Refused(Problem.tooLarge())
        }
        return mapper.readValue(body, typeInfo.type.java) ?: throw Refused(Problem.notAnObject())
    }
}
