/**
 * What the variants on Vert.x Web share: the server, bodies, problems, and the endpoints that no study is about. How a handler waits
 * for the database is the variant's own.
 */
package org.plumbline.domain.vertx.web;
