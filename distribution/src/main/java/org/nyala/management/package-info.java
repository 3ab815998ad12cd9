/**
 * The server from outside: what it shows and what can be changed over JMX, and how a command on the
 * same machine gets there.
 *
 * <p>Beans read counters and call what the core offers; they decide nothing. Nothing here is on the
 * way of a request.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
