/**
 * What the variants share that write their JDBC by hand, without a framework's help: a pool, transactions, statements and the
 * workload fruits. How they answer over HTTP is their own, and all that differs between them.
 */
package org.plumbline.domain.jdbc;
