/** The three tables of the workload fruits as entities; everything is lazy, so that the variant decides what is read. */
package org.plumbline.domain.jpa;
