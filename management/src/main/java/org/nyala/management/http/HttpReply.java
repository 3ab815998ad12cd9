package org.nyala.management.http;

/** The answer to a request: one message, or a stream of events that goes on. */
sealed interface HttpReply permits HttpAnswer, HttpStream {}
