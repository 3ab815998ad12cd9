/**
 * The catalogue of meters, and its views: Prometheus over HTTP, the counters file, {@code
 * cn=Monitor}.
 *
 * <p>Public face: {@link MeterCatalogue}.
 */
@NullMarked
package org.nyala.management.meter;

import org.jspecify.annotations.NullMarked;
