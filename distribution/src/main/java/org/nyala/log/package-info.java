/**
 * Logs for people and programs: who asked for what and how long it took, and what was changed.
 *
 * <p>Priorities in order: never hold up a request; lose nothing without saying so; be readable by
 * the tools that read slapd's logs.
 */
@NullMarked
package org.nyala.log;

import org.jspecify.annotations.NullMarked;
