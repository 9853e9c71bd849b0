/**
 * What the variants share that write their JDBC by hand, without a framework's help: a pool, transactions, statements and the
 * workload fruits. How they answer over HTTP is their own. The releases of HikariCP and pgjdbc are those of the framework's BOM
 * where it has them, else those of the parent's pom.
 */
package org.plumbline.domain.jdbc;
