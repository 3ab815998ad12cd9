/**
 * The cluster as an extension of a server: its configuration, its commands, and the store and the
 * log of a member put together.
 *
 * <p>Public face: {@link ClusterSource}.
 */
@NullMarked
package org.nyala.cluster.node;

import org.jspecify.annotations.NullMarked;
