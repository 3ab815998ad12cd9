/**
 * Listeners, connections, back-pressure.
 *
 * <p>Public face: {@link NettyLdapServer}.
 */
@NullMarked
package org.nyala.netty;

import org.jspecify.annotations.NullMarked;
