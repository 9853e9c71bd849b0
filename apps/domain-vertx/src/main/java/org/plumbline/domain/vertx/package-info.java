/**
 * What the variants on Vert.x' own PostgreSQL client share: event loops and connections as the contract and the profile have
 * them. How a variant uses them (transactions, statements, answers) is its own.
 */
package org.plumbline.domain.vertx;
