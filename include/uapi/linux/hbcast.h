/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * AF_HBCAST: broadcast of messages from one node to all members of a group.
 *
 * The family's number, 18, is AF_ASH's: reserved in every kernel and
 * implemented by none, because a module cannot add a number of its own.
 */
#ifndef _UAPI_LINUX_HBCAST_H
#define _UAPI_LINUX_HBCAST_H

#include <linux/ioctl.h>
#include <linux/socket.h>
#include <linux/types.h>

#define AF_HBCAST	18
#define PF_HBCAST	AF_HBCAST
#define SOL_HBCAST	318

/**
 * struct sockaddr_hbcast - address of a socket of the family
 * @shb_family: AF_HBCAST
 * @shb_port: separates applications inside a group; 1 to 65535
 * @shb_group: the group's id; never 0
 * @shb_node: on receive the root that sent the message, else 0
 * @shb_zero: must be 0
 */
struct sockaddr_hbcast {
	__kernel_sa_family_t	shb_family;
	__u16			shb_port;
	__u32			shb_group;
	__u32			shb_node;
	__u32			shb_zero;
};

/* Socket options, level SOL_HBCAST. */
enum {
	/*
	 * int, receivers, before bind(): pieces are handed out as they
	 * arrive, each with a control message HBCAST_PIECE.
	 */
	HBCAST_UNORDERED = 1,
	/*
	 * int. Senders: each completed message puts an entry on the error
	 * queue. Receivers: a message that fails is told by HBCAST_FAILURE
	 * instead of an error.
	 */
	HBCAST_NOTIFY = 2,
	/* __u64, get: id of the last message that this socket accepted. */
	HBCAST_LAST_MESSAGE = 3,
	/* struct hbcast_completion followed by struct hbcast_member[], get. */
	HBCAST_COMPLETION = 4,
	/* Control message of recvmsg(): struct hbcast_piece. */
	HBCAST_PIECE = 5,
	/* Control message of recvmsg(): struct hbcast_failure. */
	HBCAST_FAILURE = 6,
	/*
	 * int, receivers, before bind(): messages that are files at their root are not
	 * read, but put into files by HBCIOCRECVFILE.
	 */
	HBCAST_SINKS = 7,
};

/* In msg_flags of recvmsg(), the value of SCTP's MSG_NOTIFICATION. */
#define HBCAST_MSG_NOTIFICATION	0x8000

/**
 * struct hbcast_piece - where a received piece belongs (HBCAST_PIECE)
 * @message: id of the message, unique per root and group
 * @offset: byte in the message at which the piece starts
 * @total: length of the whole message in bytes
 */
struct hbcast_piece {
	__u64	message;
	__u64	offset;
	__u64	total;
};

/**
 * struct hbcast_failure - a message that this receiver will never have whole
 * @message: its id
 * @total: its length in bytes
 * @read: bytes of it that the receiver has read
 * @error: ECONNABORTED: the sender gave it up; ECONNRESET: a connection broke,
 *	or the plan or group is gone; EBADMSG: a checksum is wrong; ENOMEM; with
 *	HBCAST_REASON_FILE what writing to the receiver's file said, EIO or ENOSPC
 * @reason: enum hbcast_reason
 * @reserved: 0
 *
 * A receiver that has set HBCAST_NOTIFY gets this as a control message of a
 * recvmsg() that returns 0, with HBCAST_MSG_NOTIFICATION and MSG_EOR in
 * msg_flags and the source in msg_name: after what could be read of the
 * message, and where it would have gone on. Without HBCAST_NOTIFY recvmsg()
 * fails there with @error and does not tell which message it was. ENOBUFS,
 * which is about all messages of a receiver that did not read, is always an
 * error.
 */
struct hbcast_failure {
	__u64	message;
	__u64	total;
	__u64	read;
	__u32	error;
	__u16	reason;
	__u16	reserved;
};

/* What became of a message at one member. */
enum hbcast_state {
	HBCAST_PENDING,
	HBCAST_DELIVERED,
	HBCAST_FAILED,
};

/* Why a message failed at a member. */
enum hbcast_reason {
	HBCAST_REASON_NONE,
	HBCAST_REASON_NO_RECEIVER,	/* no socket was bound to the port */
	HBCAST_REASON_CLOSED,		/* the receiver closed before it had read all */
	HBCAST_REASON_STALLED,		/* the receiver did not read, or is not heard of */
	HBCAST_REASON_CHECKSUM,		/* CRC32C did not match */
	HBCAST_REASON_LANE_LOST,	/* no connection leads to the root */
	HBCAST_REASON_NODE_DEAD,	/* the member was not reached, or came too late */
	HBCAST_REASON_ABORTED,		/* the sender gave the message up */
	HBCAST_REASON_PLAN_GONE,	/* the plan or the group was removed */
	HBCAST_REASON_NO_MEMORY,	/* the member had no memory for it */
	HBCAST_REASON_SPOOL,		/* longer than what a member keeps without a file */
	HBCAST_REASON_FILE,		/* a file could not be read or written */
	HBCAST_REASON_CHANGED,		/* the file changed while it was sent */
	__HBCAST_REASON_MAX,
};

#define HBCAST_REASON_MAX (__HBCAST_REASON_MAX - 1)

/**
 * struct hbcast_member - one member's part of a completion
 * @node: the member's id
 * @state: enum hbcast_state
 * @reason: enum hbcast_reason; HBCAST_REASON_NONE unless HBCAST_FAILED
 * @bytes: bytes of a file that the member has at least, as was told last: the least of all
 *	members below the same child of the root that are reached; once it is delivered,
 *	of any message, all
 * @time_ns: from the message's acceptance to the final report; 0 while pending
 */
struct hbcast_member {
	__u32	node;
	__u16	state;
	__u16	reason;
	__u64	bytes;
	__u64	time_ns;
};

/**
 * struct hbcast_completion - how far a message is (HBCAST_COMPLETION)
 * @message: in: the message's id, 0 for the last one; out: its id
 * @total: out: length in bytes
 * @sent: out: bytes that have left for the lanes
 * @members: out: number of members, which may exceed what the buffer held
 * @delivered: out: members that have it all
 * @failed: out: members that will never have it all, and, while others miss it, those that are
 *	not reached now (HBCAST_REASON_NODE_DEAD)
 * @reserved: 0
 * @member: out: as many as fit into the buffer
 */
struct hbcast_completion {
	__u64	message;
	__u64	total;
	__u64	sent;
	__u32	members;
	__u32	delivered;
	__u32	failed;
	__u32	reserved;
	struct hbcast_member member[];
};

/**
 * struct hbcast_file - a file-backed message (HBCIOCSENDFILE)
 * @fd: file to read from; the kernel holds a reference until it is done
 * @flags: 0
 * @offset: first byte of the file to send
 * @length: bytes to send
 * @message: out: the message's id
 */
struct hbcast_file {
	__s32	fd;
	__u32	flags;
	__u64	offset;
	__u64	length;
	__u64	message;
};

#define HBCAST_NAME_LEN	256

/* Flags of struct hbcast_sink. */
#define HBCAST_SINK_LOOK	1	/* which message waits for a file; it gets none */
#define HBCAST_SINK_GIVE	2	/* @fd is for @message of @root, and has pieces of it */

/**
 * struct hbcast_sink - a file that a message is put into (HBCIOCRECVFILE)
 * @fd: a regular file, open for reading and writing, not O_DIRECT nor O_APPEND; the kernel
 *	holds a reference until it is done, and reads from it what is sent on
 * @flags: 0, HBCAST_SINK_LOOK or HBCAST_SINK_GIVE
 * @offset: where in the file the message's first byte goes
 * @message: in: 0, or the id of a message that has its file, or with HBCAST_SINK_GIVE waits for
 *	one; out: its id, 0 for none
 * @root: in: with @message, the root that sent it; out: the same
 * @reason: out: enum hbcast_reason, if the message failed
 * @total: out: its length in bytes
 * @bytes: out: bytes of it that have been written, or lay in the file
 * @time_ns: out: when the file at the root was changed last, in ns since 1970, if the message is
 *	all of it; else 0
 * @resumed: out: bytes that lay in the file
 * @map: 0, or the address of a bit for each piece in the file, in __u64, that of piece n in word
 *	n / 64 of value 1 << n % 64. In: with HBCAST_SINK_GIVE; out: as it is now
 * @pieces: in: with @map, how many pieces that is for; out: how many the message has
 * @piece_bytes: out: bytes of each piece but the last, which follow one another
 * @name: out: the name of the file at the root, without a path
 *
 * For receivers with HBCAST_SINKS. The ioctl waits for a message that is a file at its root and
 * has none here, which gets this one, and until all of it has been written. What comes first
 * for long enough without a file fails with HBCAST_REASON_SPOOL. With @message set it waits for
 * the end of one that has its file already; @fd is not looked at then.
 *
 * It fails with EAGAIN if there is no message, and with EINPROGRESS if there is one that is not
 * all written, on a socket that does not wait, when SO_RCVTIMEO is over, or after a signal. The
 * end is then told by this ioctl, or by recvmsg(): 0 bytes with MSG_EOR, in HBCAST_PIECE
 * @offset equal to @total; or as any failure. EOVERFLOW: the message does not fit behind
 * @offset and waits for another file. ENOENT: @message has no file here, or has been told of.
 * Else it fails with what the message ended with.
 *
 * What a receiver has in a file of a message before, that of the same @name, @total and @time_ns,
 * need not come again: HBCAST_SINK_LOOK tells of the message that waits, HBCAST_SINK_GIVE gives
 * the file for it. If it is the first file for the message here, pieces of @map that have not
 * begun to come are taken from it, as they are. ENOENT: the message does not wait any more.
 * EINVAL: it has not so many @pieces.
 */
struct hbcast_sink {
	__s32	fd;
	__u32	flags;
	__u64	offset;
	__u64	message;
	__u32	root;
	__u32	reason;
	__u64	total;
	__u64	bytes;
	__u64	time_ns;
	__u64	resumed;
	__u64	map;
	__u32	pieces;
	__u32	piece_bytes;
	char	name[HBCAST_NAME_LEN];
};

/**
 * struct hbcast_wait - wait until a message is complete (HBCIOCWAIT)
 * @message: the message's id, 0 for the last one
 * @timeout_ms: longest time to wait; 0 for ever
 * @failed: out: members that will never have it all
 *
 * The ioctl fails with ETIMEDOUT when the time is over and with ENOENT when
 * the socket knows no such message.
 */
struct hbcast_wait {
	__u64	message;
	__u32	timeout_ms;
	__u32	failed;
};

#define HBCIOCSENDFILE	_IOWR(0x89, 0xe0, struct hbcast_file)
#define HBCIOCWAIT	_IOWR(0x89, 0xe1, struct hbcast_wait)
#define HBCIOCRECVFILE	_IOWR(0x89, 0xe2, struct hbcast_sink)

/* sock_extended_err of the error queue: ee_data is the low half of the id. */
#define SO_EE_ORIGIN_HBCAST	18

#endif /* _UAPI_LINUX_HBCAST_H */
