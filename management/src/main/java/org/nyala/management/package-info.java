/**
 * The catalogue of meters and its views: Prometheus over HTTP, the counters file, {@code
 * cn=Monitor}, the JMX beans; and the watch that sends the beans' notifications.
 *
 * <p>Public face: {@link MeterCatalogue} and {@link ManagementBeans}.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
