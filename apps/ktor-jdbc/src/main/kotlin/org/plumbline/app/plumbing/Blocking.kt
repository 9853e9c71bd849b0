package org.plumbline.app.plumbing

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/** Runs what waits for the database on the threads that coroutines keep for it; the event loop goes on meanwhile. */
suspend fun <T> blocking(work: CoroutineScope.() -> T): T = withContext(Dispatchers.IO) { work() }
