package org.plumbline.app.plumbing

import java.util.Properties
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.plumbline.domain.Settings

private const val FILE = "/application-tuned.properties"
private const val AS_MANY = "database.threads"

/** The threads on which requests wait for the database; event loops go on meanwhile. */
class DatabaseThreads private constructor(private val dispatcher: CoroutineDispatcher) {
    /** Whether they are as many as the pool has connections; else coroutines take up to 64 of those that they keep. */
    val areAsManyAsConnections = dispatcher !== Dispatchers.IO

    suspend fun <T> run(work: CoroutineScope.() -> T): T = withContext(dispatcher) { work() }

    companion object {
        /** Those of coroutines; in the profile tuned what its file says of them. */
        fun of(profile: String?, database: Settings.Database): DatabaseThreads {
            val areLimited = profile == "tuned" && tuned().getProperty(AS_MANY) == "connections"
            return DatabaseThreads(
                if (areLimited) Dispatchers.IO.limitedParallelism(database.poolSize()) else Dispatchers.IO
            )
        }

        private fun tuned() =
            Properties().apply { DatabaseThreads::class.java.getResourceAsStream(FILE).use(::load) }
    }
}
