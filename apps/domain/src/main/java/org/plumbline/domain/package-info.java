/**
 * What every variant speaks, whatever its framework: bodies on the wire, SQL text, settings, the shape of
 * {@code /environment}. It depends on the JDK alone and knows nothing of HTTP servers, JSON libraries or drivers.
 */
package org.plumbline.domain;
